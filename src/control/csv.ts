/** What a spreadsheet would run as a formula (OWASP, CSV injection). */
const formula = /^[=+\-@\t\r]/
const needsQuotes = /[",\r\n]/

/** A cell (RFC 4180). A text that a spreadsheet would run as a formula begins with a quote mark. */
function csvCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = typeof value !== 'number' && formula.test(text) ? `'${text}` : text
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One line of a CSV file (RFC 4180). */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvCell).join(',')}\r\n`
