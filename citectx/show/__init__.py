"""What people see and do: tables, figures and exercises of lessons, grading, pages of articles.

- Tables and figures: `tables`, `plotting`, `steps` (an algorithm step by step), `forest` (a paper's
  claims), `knobs` (choices on a page without Python), `viewer` (an article with marks).
- In a lesson: `lessons` (what lessons call), `predictions` (a guess kept to the end), `exercises`
  (is an answer right?), `answers` (what an answer may be), `debate` (cards of claims).
- For lecturers: `grading` judges what students hand in, `running` starts a process per notebook,
  `submission` is what runs there, and `class_page` sums the class up.
"""
