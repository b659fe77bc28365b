"""From events and folded calls to what each call path spent, thread by thread and test by test."""
