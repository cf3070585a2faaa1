"""The policy file as text: YAML with places, problems, secrets, and one file laid over another."""
