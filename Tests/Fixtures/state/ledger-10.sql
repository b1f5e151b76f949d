-- state.db as the last program wrote it whose ledger was kept in texts, with something of each kind.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('1: mailboxes, messages, failures, runs');
INSERT INTO grdb_migrations VALUES('2: surplus files');
INSERT INTO grdb_migrations VALUES('3: steps, refusals and scans of a push');
INSERT INTO grdb_migrations VALUES('4: which directories were scanned');
INSERT INTO grdb_migrations VALUES('5: a scan holds as long as what it was held against');
INSERT INTO grdb_migrations VALUES('6: deletions of the last day');
INSERT INTO grdb_migrations VALUES('7: which directories were folders');
INSERT INTO grdb_migrations VALUES('8: a failure may stand for many');
INSERT INTO grdb_migrations VALUES('9: messages out of view');
INSERT INTO grdb_migrations VALUES('10: what came since the last whole pull');
CREATE TABLE mailbox (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  rawNameBlob TEXT NOT NULL,
  delimiter TEXT,
  folder TEXT NOT NULL,
  mailboxID TEXT,
  specialUse TEXT,
  uidValidity INTEGER NOT NULL,
  uidNext INTEGER NOT NULL,
  "exists" INTEGER NOT NULL,
  highestModSeq INTEGER NOT NULL,
  forwardCursor INTEGER NOT NULL,
  backwardCursor INTEGER NOT NULL,
  isDirty INTEGER NOT NULL,
  newModified INTEGER NOT NULL,
  curModified INTEGER NOT NULL,
  isGone INTEGER NOT NULL,
  windowStart INTEGER,
  needsAdoption INTEGER NOT NULL
, newInode INTEGER NOT NULL DEFAULT 0, curInode INTEGER NOT NULL DEFAULT 0, settledCursor INTEGER NOT NULL DEFAULT 0);
INSERT INTO mailbox VALUES(1,'INBOX','494e424f58','/','INBOX',NULL,NULL,1795601757,4,-1,2,3,1,0,0,0,0,NULL,0,16252824,16252823,3);
INSERT INTO mailbox VALUES(2,'Archive','41726368697665','/','Archive',NULL,'archive',1795601758,3,-1,2,2,1,0,0,0,0,NULL,0,16252809,16252808,2);
INSERT INTO mailbox VALUES(3,'Drafts','447261667473','/','Drafts',NULL,'drafts',1795601759,1,0,1,0,1,0,0,0,0,NULL,0,16252817,16252816,0);
INSERT INTO mailbox VALUES(4,'Junk','4a756e6b','/','Junk',NULL,'junk',1795601762,1,0,1,0,1,0,0,0,0,NULL,0,16252804,16252803,0);
INSERT INTO mailbox VALUES(5,'Sent','53656e74','/','Sent',NULL,'sent',1795601760,1,0,1,0,1,0,0,0,0,NULL,0,16252806,16252802,0);
INSERT INTO mailbox VALUES(6,'Trash','5472617368','/','Trash',NULL,'trash',1795601761,1,0,1,0,1,0,0,0,0,NULL,0,16252801,16252800,0);
CREATE TABLE message (
  mailbox INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
  uid INTEGER NOT NULL,
  name TEXT NOT NULL,
  flags INTEGER NOT NULL,
  keywords TEXT NOT NULL,
  remoteFlags INTEGER,
  remoteKeywords TEXT,
  headerHash INTEGER NOT NULL,
  contentHash INTEGER NOT NULL,
  size INTEGER NOT NULL,
  internalDate INTEGER NOT NULL,
  traits INTEGER NOT NULL,
  emailID TEXT,
  nativeLabels TEXT NOT NULL,
  serverSize INTEGER NOT NULL,
  PRIMARY KEY (mailbox, uid)
) WITHOUT ROWID;
INSERT INTO message VALUES(1,2,'1630397189.acb2b834f442088cV1795601757U2.home',16,'',NULL,NULL,8912646804576575767,-7530794489360821123,2097,1630397189,0,NULL,'',2131);
INSERT INTO message VALUES(1,3,'1682959589.acb2b834f442088cV1795601757U3.home',0,'',9,'x',8971593185816577289,-1796655296037813888,5088,1682959589,128,NULL,'',5171);
INSERT INTO message VALUES(2,1,'1577839381.05769b624e52f466V1795601758U1.home',0,'',NULL,NULL,-8782624367395255098,-4744597875297504270,16372,1577839381,0,NULL,'',16640);
INSERT INTO message VALUES(2,2,'1656678933.05769b624e52f466V1795601758U2.home',16,'',NULL,NULL,-245953237522814628,666763067535405561,1114,1656678933,0,NULL,'',1131);
INSERT INTO message VALUES(2,3,'1577838948.acb2b834f442088cV1795601757U1.home',16,'',NULL,NULL,6924585199787692469,-6704916946511464255,2614,1577838948,0,NULL,'',2656);
CREATE TABLE failure (
  mailbox INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
  uid INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  lastAttempt INTEGER NOT NULL,
  reason TEXT NOT NULL, others INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (mailbox, uid)
) WITHOUT ROWID;
INSERT INTO failure VALUES(1,0,2,9,'cannot be opened',0);
INSERT INTO failure VALUES(1,3,1,9,'not shown',4);
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  started INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  exitStatus INTEGER NOT NULL,
  summary TEXT NOT NULL
);
INSERT INTO run VALUES(1,'pull',1795601757,1795601758,0,'{"changed":0,"mailboxesTotal":6,"new":5,"bytes":27729,"account":"home","seconds":0.16806352138519287,"problems":[],"gone":0,"dryRun":false,"mailboxes":[{"pruned":0,"changed":0,"mailbox":"INBOX","gone":0,"adopted":0,"new":3,"bytes":9958},{"pruned":0,"changed":0,"mailbox":"Archive","gone":0,"adopted":0,"new":2,"bytes":17771}],"mailboxesChanged":2,"exitStatus":0}');
INSERT INTO run VALUES(2,'push',1795601769,1795601769,0,'{"dryRun":false,"marked":0,"problems":[],"seconds":0.03607463836669922,"exitStatus":0,"uploaded":0,"pending":0,"folders":0,"bytes":0,"deleted":0,"actions":[{"count":1,"kind":"move","mailbox":"INBOX","detail":"Archive"}],"account":"home","moved":1,"copied":0}');
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO fact VALUES('adopts-new-mailboxes','1');
INSERT INTO fact VALUES('generation','1');
INSERT INTO fact VALUES('keywords','header');
INSERT INTO fact VALUES('name-prefix',replace('INBOX.\n#shared/','\n',char(10)));
INSERT INTO fact VALUES('pushed since 1','1795601769');
INSERT INTO fact VALUES('pushed since 2','1795601769');
INSERT INTO fact VALUES('relocating','{"rawName":[83,38,255,5],"mailbox":4,"isGone":false,"old":"Junk","companions":[{"mailbox":6,"inode":9,"home":"Junk\/b","stays":false},{"home":"Junk\/a","mailbox":5,"stays":true,"inode":8}],"name":"Spam","new":"Spam","inode":16252802,"delimiter":"\/","isMerging":true}');
INSERT INTO fact VALUES('renaming','{"changes":[{"isToMove":false,"mailbox":2,"name":"Job\/Old","folder":"Job\/Old"},{"folder":"Drafts","mailbox":3,"inode":16252803,"name":"Job\/Old\/Æ","isToMove":true}]}');
INSERT INTO fact VALUES('runs','2');
INSERT INTO fact VALUES('server',replace('Dovecot (Debian) ready.\nBINARY CATENATE CHILDREN COMPRESS=DEFLATE CONDSTORE CONTEXT=SEARCH ENABLE ESEARCH ESORT I18NLEVEL=1 ID IDLE IMAP4REV1 LIST-EXTENDED LIST-STATUS LITERAL+ LOGIN-REFERRALS MOVE MULTIAPPEND NAMESPACE NOTIFY PREVIEW PREVIEW=FUZZY QRESYNC SASL-IR SAVEDATE SEARCHRES SNIPPET=FUZZY SORT SORT=DISPLAY SPECIAL-USE STATUS=SIZE THREAD=ORDEREDSUBJECT THREAD=REFERENCES THREAD=REFS UIDPLUS UNSELECT URL-PARTIAL WITHIN','\n',char(10)));
INSERT INTO fact VALUES('taken 3','1795601800');
INSERT INTO fact VALUES('tree','1 11175611075755887106 16252851 65024 7388716669679134827 1795601757975091057');
INSERT INTO fact VALUES('undecided 2','2');
INSERT INTO fact VALUES('unlinking 1','2:3');
INSERT INTO fact VALUES('whole-pull','1795601757');
CREATE TABLE surplus (
  mailbox INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
  nameHash INTEGER NOT NULL,
  contentHash INTEGER NOT NULL,
  PRIMARY KEY (mailbox, nameHash)
) WITHOUT ROWID;
INSERT INTO surplus VALUES(2,-7,8);
CREATE TABLE pushStep (
  target INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
  number INTEGER NOT NULL UNIQUE,
  name TEXT NOT NULL,
  flags INTEGER NOT NULL,
  keywords TEXT NOT NULL,
  remoteFlags INTEGER,
  remoteKeywords TEXT,
  headerHash INTEGER NOT NULL,
  contentHash INTEGER NOT NULL,
  size INTEGER NOT NULL,
  internalDate INTEGER NOT NULL,
  traits INTEGER NOT NULL,
  emailID TEXT,
  nativeLabels TEXT NOT NULL,
  serverSize INTEGER NOT NULL,
  kind TEXT NOT NULL,
  source INTEGER NOT NULL,
  sourceUID INTEGER NOT NULL,
  sourceValidity INTEGER NOT NULL,
  sourceHeaderHash INTEGER NOT NULL,
  sourceContentHash INTEGER NOT NULL,
  uidValidity INTEGER NOT NULL,
  uidNext INTEGER NOT NULL,
  copyUID INTEGER NOT NULL,
  PRIMARY KEY (target, number)
) WITHOUT ROWID;
INSERT INTO pushStep VALUES(2,1,'file1',5,replace('a\nb','\n',char(10)),NULL,NULL,-1,1,100,50,2,NULL,'',120,'append',0,0,0,0,0,1795601758,3,0);
INSERT INTO pushStep VALUES(2,2,'file2',5,replace('a\nb','\n',char(10)),NULL,NULL,-1,2,100,50,2,NULL,'',120,'append',2,1,1795601758,11,-12,1795601758,3,0);
INSERT INTO pushStep VALUES(2,3,'file3',5,replace('a\nb','\n',char(10)),NULL,NULL,-1,3,100,50,2,NULL,'',120,'appended',0,0,0,0,0,1795601758,3,0);
INSERT INTO pushStep VALUES(2,4,'file4',5,replace('a\nb','\n',char(10)),NULL,NULL,-1,4,100,50,2,NULL,'',120,'appended',0,0,0,0,0,1795601758,3,4294967295);
INSERT INTO pushStep VALUES(2,5,'file5',5,replace('a\nb','\n',char(10)),NULL,NULL,-1,5,100,50,2,NULL,'',120,'move',1,2,1795601757,21,22,1795601758,3,0);
INSERT INTO pushStep VALUES(2,6,'file6',5,replace('a\nb','\n',char(10)),NULL,NULL,-1,6,100,50,2,NULL,'',120,'copy',1,3,1795601757,0,0,1795601758,3,0);
INSERT INTO pushStep VALUES(2,7,'file7',5,replace('a\nb','\n',char(10)),NULL,NULL,-1,7,100,50,2,NULL,'',120,'unconfirmed',1,3,1795601757,-31,32,1795601758,3,0);
INSERT INTO pushStep VALUES(2,8,'file8',5,replace('a\nb','\n',char(10)),NULL,NULL,-1,8,100,50,2,NULL,'',120,'copied',1,3,1795601757,41,42,1795601758,3,77);
CREATE TABLE pushRefusal (
  mailbox INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
  subject TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  lastAttempt INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (mailbox, subject)
) WITHOUT ROWID;
INSERT INTO pushRefusal VALUES(1,'create Job',1,9,'no');
INSERT INTO pushRefusal VALUES(1,'deletions',1,9,'no');
INSERT INTO pushRefusal VALUES(1,'edit 17 5f3a',1,9,'edited');
INSERT INTO pushRefusal VALUES(1,'flag \seen',1,9,'not kept by the server');
INSERT INTO pushRefusal VALUES(1,'keyword $junk x',1,9,'not kept by the server');
INSERT INTO pushRefusal VALUES(1,'labels',1,9,'no');
INSERT INTO pushRefusal VALUES(1,'lost 1x',1,9,'?');
INSERT INTO pushRefusal VALUES(1,'lost 4294967295',1,9,'gone from the server');
INSERT INTO pushRefusal VALUES(1,'mailbox',3,9,'no');
INSERT INTO pushRefusal VALUES(1,'marks',1,9,'no');
INSERT INTO pushRefusal VALUES(1,'moves 3',2,9,'no');
INSERT INTO pushRefusal VALUES(1,'of a later program',1,9,'?');
INSERT INTO pushRefusal VALUES(1,'rename Job/Old  one',3,9,'no');
INSERT INTO pushRefusal VALUES(1,'tries marks',1,9,'no');
INSERT INTO pushRefusal VALUES(1,'tries moves 3',2,9,'no');
INSERT INTO pushRefusal VALUES(1,'tries rename a b',1,9,'no');
INSERT INTO pushRefusal VALUES(1,'upload ffffffffffffffff',1,9,'quota');
INSERT INTO pushRefusal VALUES(1,'uploads',1,9,'no');
INSERT INTO pushRefusal VALUES(2,'held half 60 100',1,9,'4,6:9');
INSERT INTO pushRefusal VALUES(2,'mailbox',1,9,'no');
INSERT INTO pushRefusal VALUES(3,'held folder 2 2',1,9,'*');
CREATE TABLE pushScan (
  mailbox INTEGER PRIMARY KEY REFERENCES mailbox(id) ON DELETE CASCADE,
  newModified INTEGER NOT NULL,
  curModified INTEGER NOT NULL,
  scanned INTEGER NOT NULL,
  compared INTEGER NOT NULL
, newInode INTEGER NOT NULL DEFAULT 0, curInode INTEGER NOT NULL DEFAULT 0);
INSERT INTO pushScan VALUES(3,1795601758095091061,1795601758095091061,1795601769382660096,1795601769,16252817,16252816);
INSERT INTO pushScan VALUES(4,1795601758111091062,1795601758111091062,1795601769382660096,1795601769,16252804,16252803);
INSERT INTO pushScan VALUES(5,1795601758111091062,1795601758111091062,1795601769382660096,1795601769,16252806,16252802);
INSERT INTO pushScan VALUES(6,1795601758111091062,1795601758111091062,1795601769382660096,1795601769,16252801,16252800);
CREATE TABLE carriedDeletions (
  mailbox INTEGER NOT NULL REFERENCES mailbox(id) ON DELETE CASCADE,
  time INTEGER NOT NULL,
  uidValidity INTEGER NOT NULL,
  uidNext INTEGER NOT NULL,
  size INTEGER NOT NULL,
  uids TEXT NOT NULL,
  PRIMARY KEY (mailbox, time)
) WITHOUT ROWID;
INSERT INTO carriedDeletions VALUES(2,1795601000,1795601758,3,40,'1:2');
CREATE TABLE folderIdentity (
  mailbox INTEGER PRIMARY KEY REFERENCES mailbox(id) ON DELETE CASCADE,
  value INTEGER NOT NULL
);
INSERT INTO folderIdentity VALUES(1,-1652162412004180173);
INSERT INTO folderIdentity VALUES(2,2073848819625739969);
INSERT INTO folderIdentity VALUES(3,-816936854619816403);
INSERT INTO folderIdentity VALUES(4,95098600458412308);
INSERT INTO folderIdentity VALUES(5,7174272134887067227);
INSERT INTO folderIdentity VALUES(6,-3829099683179558620);
CREATE INDEX messageUnapplied ON message(mailbox) WHERE remoteFlags IS NOT NULL;
CREATE INDEX messageToUnlink ON message(mailbox) WHERE traits & 16;
CREATE INDEX messageByEmailID ON message(emailID) WHERE emailID IS NOT NULL;
CREATE TRIGGER endScanByInsert AFTER INSERT ON message
BEGIN DELETE FROM pushScan WHERE mailbox IN (NEW.mailbox); END;
CREATE TRIGGER endScanByDelete AFTER DELETE ON message
BEGIN DELETE FROM pushScan WHERE mailbox IN (OLD.mailbox); END;
CREATE TRIGGER endScanByUpdate AFTER UPDATE OF mailbox, name, flags, keywords, contentHash, traits ON message
BEGIN DELETE FROM pushScan WHERE mailbox IN (OLD.mailbox, NEW.mailbox); END;
CREATE INDEX messageOutOfView ON message(mailbox) WHERE traits & 128;
COMMIT;
