import type { ImportedElement, ImportStatus } from '#import/importResult.ts'

/** The elements of a report with this status whose name, kind, channel or reason contains the text. */
export function findElements(
  elements: readonly ImportedElement[],
  { status, text }: { status: ImportStatus | 'all'; text: string },
): ImportedElement[] {
  const part = text.trim().toLowerCase()
  return elements.filter(
    (each) =>
      (status === 'all' || each.status === status) &&
      [each.name, each.kind, ...each.channels, ...each.notes.flatMap((note) => [note.code ?? '', note.text])].some(
        (own) => own.toLowerCase().includes(part),
      ),
  )
}
