/**
 * What a spreadsheet would run as a formula (OWASP, CSV injection), also in full width and small form: at the beginning, and after the signs at
 * which spreadsheets split cells whatever quotes say.
 */
const formula = /(^|[;\t\r\n])([^\S\t\r\n]*)([=+\-@＝＋－＠﹢﹣﹦﹫−])/g
const separatorFirst = /^[\t\r\n]/
const needsQuotes = /[",\r\n]/

/** A cell (RFC 4180). What a spreadsheet would run as a formula begins with a quote mark. */
function csvCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const quoted = text.replace(formula, "$1'$2$3")
  const safe = typeof value === 'number' ? text : separatorFirst.test(text) ? `'${quoted}` : quoted
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One line of a CSV file (RFC 4180). */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvCell).join(',')}\r\n`
