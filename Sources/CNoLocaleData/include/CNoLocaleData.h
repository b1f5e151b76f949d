// Nothing is called here: the target is there for what it links.
