import { CircleCheck, CircleMinus, CircleQuestionMark, Download, PencilLine } from 'lucide'
import { useState } from 'preact/hooks'
import { findElements } from '#dashboard/list/importedElements.ts'
import { moveInWords as words } from '#dashboard/words/en/moveIn.ts'
import { count } from '#dashboard/words/format.ts'
import type { ImportedElement, ImportReport, ImportStatus } from '#import/importResult.ts'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { Tabs, TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import { saveFile } from '../../parts/saveFile.ts'
import { Mark } from '../../parts/status.tsx'

const marks = {
  mapped: { icon: CircleCheck, tone: 'good' },
  needsValue: { icon: PencilLine, tone: 'wait' },
  needsDecision: { icon: CircleQuestionMark, tone: 'wait' },
  notMapped: { icon: CircleMinus, tone: 'none' },
} as const
/** Elements that need the person come first. */
const order = ['needsValue', 'needsDecision', 'notMapped', 'mapped'] as const satisfies readonly ImportStatus[]
const pageSize = 100

const Notes = ({ of }: { of: ImportedElement }) => (
  <>
    {of.notes.map(({ code, text }) => (
      <span key={text} class="elementNote">
        {text} {code && <code>{code}</code>}
      </span>
    ))}
  </>
)

const columns = [
  { name: 'name', label: words.columns.name, cell: (row: ImportedElement) => <bdi>{row.name}</bdi> },
  { name: 'kind', label: words.columns.kind, cell: (row: ImportedElement) => row.kind },
  {
    name: 'status',
    label: words.columns.status,
    cell: ({ status }: ImportedElement) => <Mark {...marks[status]}>{words.status[status]}</Mark>,
  },
  { name: 'channels', label: words.columns.channels, cell: (row: ImportedElement) => row.channels.join(', ') },
  { name: 'notes', label: words.columns.notes, cell: (row: ImportedElement) => <Notes of={row} /> },
]

/** The matching elements of the export, a hundred at a time. */
function Elements({ of }: { of: readonly ImportedElement[] }) {
  const [shown, setShown] = useState(pageSize)
  if (of.length === 0) return <p class="soft padded">{words.noMatch}</p>
  const rest = of.length - shown
  return (
    <>
      <Cards
        label={words.reportTitle}
        columns={columns}
        rows={of.slice(0, shown)}
        keyOf={(row) => `${of.indexOf(row)}`}
      />
      {rest > 0 && (
        <p class="hint number listFoot">
          <Button onClick={() => setShown(shown + pageSize)}>{words.more(Math.min(rest, pageSize))}</Button>
        </p>
      )}
    </>
  )
}

/** Every element of the export with its outcome and reason, and the remaining steps. */
export function ReportPanel({ of: { elements, channels, counts, steps }, text }: { of: ImportReport; text: string }) {
  const [status, setStatus] = useState<ImportStatus | 'all'>('all')
  const [filter, setFilter] = useState('')
  const tabs = [
    ['all', `${words.all} (${count(elements.length)})`],
    ...order.map((each) => [each, `${words.status[each]} (${count(counts[each])})`]),
  ]
  const found = findElements(elements, { status, text: filter })
  return (
    <>
      <Panel
        title={words.reportTitle}
        note={words.reportNote(elements.length, channels.length)}
        isFlush
        actions={
          <Button icon={Download} onClick={() => saveFile(new Blob([text], { type: 'text/markdown' }), 'report.md')}>
            {words.saveReport}
          </Button>
        }
      >
        <div class="stack reportFilter">
          <Tabs
            label={words.columns.status}
            of={Object.fromEntries(tabs) as Record<ImportStatus | 'all', string>}
            value={status}
            onChange={setStatus}
          />
          <TextField
            type="search"
            label={words.filter}
            placeholder={words.filterHint}
            value={filter}
            onChange={setFilter}
          />
        </div>
        <Elements key={`${status} ${filter}`} of={found} />
      </Panel>
      <Panel title={words.steps}>
        <ul class="bullets">
          {[...steps, words.exportKnown].map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ul>
      </Panel>
    </>
  )
}
