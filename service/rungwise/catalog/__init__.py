"""What is known of GPUs and models: the rulebook's catalog, and Hugging Face's config.json."""
