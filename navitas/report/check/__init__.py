"""The result of a check as a pull request shows it: a summary, annotations, SARIF and JUnit XML."""
