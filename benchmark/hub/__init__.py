"""Publishing generated splits to the Hugging Face Hub."""
