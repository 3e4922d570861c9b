interface SearchProps {
  label: string
  /** Instead of the label, in the empty field. */
  hint?: string
  look?: string
  value: string
  onChange: (query: string) => void
}

/** Filters a list while it is typed. */
export function SearchField({ label, hint = label, look = 'filter-input', value, onChange }: SearchProps) {
  return (
    <input
      type="search"
      className={look}
      aria-label={label}
      placeholder={hint}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
