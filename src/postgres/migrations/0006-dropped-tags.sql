-- Dropped tags of which rows may be left. They are deleted in slices, because a large tag has millions of users.
CREATE TABLE dropped_tag (
  tag text COLLATE "C" PRIMARY KEY
);
