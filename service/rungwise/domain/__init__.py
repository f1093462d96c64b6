"""Value objects: what is asked, what is known, what is answered. Imports nothing of ours."""
