"""Tests/Fixtures/windows.json is what window_cases.py writes."""

import unittest

import window_cases


class WindowCases(unittest.TestCase):
    """The stories that all clients play."""

    def test_the_file_is_what_the_model_says(self):
        written = window_cases.FIXTURE.read_text(encoding="utf-8")
        self.assertEqual(written, window_cases.text(), "Run window_cases.py.")


if __name__ == "__main__":
    unittest.main()
