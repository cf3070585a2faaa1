"""The audited table as statements see it, and its records as profiles."""
