"""The method of the Carat paper (paper 5, sections 2.2 to 2.4), for comparison. No other result depends on it."""
