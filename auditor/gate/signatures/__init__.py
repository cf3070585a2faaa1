"""Keys, who holds them, and what they signed: files, approvals and commits, by SSH and OpenPGP."""
