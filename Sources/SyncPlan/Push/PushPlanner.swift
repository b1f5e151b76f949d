/// Pure: what was found in the tree, and what is known of the mailboxes, make a plan. No clock, no socket, no disk.
package struct PushPlanner {
  let situation: PushSituation

  package init(_ situation: PushSituation) { self.situation = situation }

  package func plan(_ changes: TreeChanges) -> PushPlan {
    var plan = PushPlan()
    plan.renamedFiles = changes.renamed
    plan.surplus = changes.surplus
    plan.twins = changes.twins
    plan.namesakes = changes.namesakes
    let roles = situation.roles ?? FolderRoles(situation.mailboxes.filter { !$0.isGone })
    FolderPlanning(situation: situation).plan(changes, &plan)
    let messages = MessagePlanning(situation: situation)
    messages.planMoves(changes, &plan)
    messages.planEdits(changes, drafts: roles.drafts, &plan)
    messages.planMarks(changes, &plan)
    UploadPlanning(situation: situation).plan(changes, &plan)
    plan.waiting += changes.unmountedElsewhere.sorted { $0.key < $1.key }.map {
      PushPlan.WaitingChanges(mailbox: $0.key, count: $0.value, reason: .unmounted)
    }
    DeletionPlanning(situation: situation, trash: roles.trash).plan(changes, &plan)
    return plan
  }
}
