package keyfile

import "context"

// Values returns all named values.
func (f *File) Values(ctx context.Context) (map[string][]byte, error) {
	rows, err := f.read.QueryContext(ctx, listValues)
	if err != nil {
		return nil, failure(err, "the key store cannot be read")
	}
	defer rows.Close()
	values := map[string][]byte{}
	for rows.Next() {
		var name string
		var value []byte
		if err := rows.Scan(&name, &value); err != nil {
			return nil, failure(err, "the key store cannot be read")
		}
		values[name] = value
	}
	return values, failure(rows.Err(), "the key store cannot be read")
}

// PutValue stores a named value unless there is one, and returns what is there once that is durable.
func (f *File) PutValue(ctx context.Context, name string, value []byte) ([]byte, error) {
	var winner []byte
	err := f.submit(ctx, &request{do: func(ctx context.Context, s *statements) error {
		if _, err := s.insertValue.ExecContext(ctx, name, value); err != nil {
			return err
		}
		return s.findValue.QueryRowContext(ctx, name).Scan(&winner)
	}})
	if err != nil {
		return nil, err
	}
	return winner, nil
}

// ReplaceValue replaces a named value if it still is old, leaving no trace of the old one; nil removes it.
func (f *File) ReplaceValue(ctx context.Context, name string, old, value []byte) (bool, error) {
	replaced := false
	err := f.submit(ctx, &request{scrub: true, do: func(ctx context.Context, s *statements) error {
		var n int
		var err error
		if value == nil {
			n, err = affected(s.removeValue.ExecContext(ctx, name, old))
		} else {
			n, err = affected(s.replaceValue.ExecContext(ctx, value, name, old))
		}
		replaced = n == 1
		return err
	}})
	if err != nil {
		return false, err
	}
	return replaced, nil
}
