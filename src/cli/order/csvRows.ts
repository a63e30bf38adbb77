import { UsageError } from '#cli/operatorCall.ts'

/** A row of a file, and the line on which it begins, from 1. */
export type CsvRow = { line: number; cells: string[] }

const separators = [',', ';', '\t'] as const
const maxCell = 1_000_000
const maxCells = 1_000

/** The separator that occurs most often outside quotes in the first line. */
function separatorOf(firstLine: string): string {
  const plain = firstLine.replaceAll(/"[^"]*"/g, '')
  const count = (separator: string) => plain.split(separator).length
  return separators.reduce((best, each) => (count(each) > count(best) ? each : best))
}

/** Parses RFC 4180 in parts. Throws UsageError with the line and column of an error. */
class CsvReader {
  #row: string[] = []
  #cell = ''
  #state: 'start' | 'plain' | 'quoted' | 'closing' = 'start'
  #line = 1
  #rowLine = 1
  #separator: string
  constructor(separator: string) {
    this.#separator = separator
  }
  #refuse(what: string): never {
    throw new UsageError(`Line ${this.#line}, column ${this.#row.length + 1}: ${what}.`)
  }
  #endCell(): void {
    if (this.#row.length >= maxCells) this.#refuse(`a line has at most ${maxCells} columns`)
    this.#row.push(this.#cell)
    this.#cell = ''
    this.#state = 'start'
  }
  #endRow(): CsvRow | undefined {
    this.#endCell()
    const row = { line: this.#rowLine, cells: this.#row }
    this.#row = []
    return row.cells.length === 1 && row.cells[0] === '' ? undefined : row
  }
  #add(char: string): void {
    this.#cell += char
    if (this.#cell.length > maxCell) this.#refuse('a value is longer than a million characters')
  }
  *read(text: string): Generator<CsvRow> {
    for (const char of text) {
      if (this.#state === 'quoted') {
        if (char === '"') this.#state = 'closing'
        else this.#add(char)
      } else if (char === '"' && this.#state !== 'plain') {
        if (this.#state === 'closing') this.#add(char)
        this.#state = 'quoted'
      } else if (char === this.#separator) this.#endCell()
      else if (char === '\n') {
        const row = this.#endRow()
        if (row) yield row
        this.#rowLine = this.#line + 1
      } else if (char !== '\r') {
        if (this.#state === 'closing') this.#refuse('text follows the closing quote')
        this.#state = 'plain'
        this.#add(char)
      }
      if (char === '\n') this.#line++
    }
  }
  *end(): Generator<CsvRow> {
    if (this.#state === 'quoted') this.#refuse('the quote is not closed')
    const row = this.#endRow()
    if (row) yield row
  }
}

/** The rows of CSV text that arrives in parts. */
export async function* csvRows(parts: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  let head = ''
  let reader: CsvReader | undefined
  for await (const part of parts) {
    if (!reader) {
      head += part
      if (!head.includes('\n') && head.length < maxCell) continue
      reader = new CsvReader(separatorOf(head.split('\n', 1)[0]!))
      yield* reader.read(head)
    } else yield* reader.read(part)
  }
  if (!reader) {
    reader = new CsvReader(separatorOf(head))
    yield* reader.read(head)
  }
  yield* reader.end()
}
