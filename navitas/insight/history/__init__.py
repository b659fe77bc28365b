"""Energy over a project's history: stored sessions, their trends and change points, and the commit of a change."""
