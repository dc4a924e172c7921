"""Before anything is assessed: which interval to trust, how many documents to assess, and where."""
