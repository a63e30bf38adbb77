import { TriangleAlert } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import { moveInWords as words } from '#dashboard/words/en/moveIn.ts'
import type { ImportProduct } from '#import/json.ts'
import { Field } from '../../parts/field.tsx'
import { SelectField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Note } from '../../parts/view.tsx'
import type { ExportChoice } from './useExport.ts'

const products = [['', words.anyProduct], ...Object.entries(words.products)] as [ImportProduct | '', string][]

/** Takes files that are dropped anywhere on the page, and tells whether some are held over it. */
function useDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const holds = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const over = (event: DragEvent) => {
      if (!holds(event)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const drop = (event: DragEvent) => {
      if (!holds(event)) return
      event.preventDefault()
      setOver(false)
      onFiles([...(event.dataTransfer?.files ?? [])])
    }
    const listeners = { dragover: over, dragleave: leave, drop } as const
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener as EventListener)
    return () => {
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name, listener as EventListener)
    }
  })
  return isOver
}

/** What is being read, was read, or was refused. */
function ExportStatus({ state }: Pick<ExportChoice, 'state'>) {
  if (state.is === 'refused')
    return (
      <Note icon={TriangleAlert} title={words.refused} isAlert>
        {state.why}
      </Note>
    )
  return (
    <p role="status" class="hint" aria-busy={state.is === 'reading'}>
      {state.is === 'reading' && words.reading(state.names)}
      {state.is === 'read' && words.readFiles(state.result.report.product, state.names)}
    </p>
  )
}

/** Chooses the export: by the field, or by dropping files on the page. */
export function ExportPanel({ of: { state, product, choose, chooseProduct } }: { of: ExportChoice }) {
  const isOver = useDrop(choose)
  return (
    <Panel title={words.fileTitle} note={words.fileNote}>
      <div class={`dropZone${isOver ? ' over' : ''}`}>
        <Field label={words.file} help={words.fileHint}>
          {({ id, describedBy }) => (
            <p class="row fileRow">
              <input
                type="file"
                multiple
                id={id}
                aria-describedby={describedBy}
                onChange={(event) => choose([...(event.currentTarget.files ?? [])])}
              />
              <span class="soft">{words.drop}</span>
            </p>
          )}
        </Field>
      </div>
      <SelectField label={words.product} value={product} options={products} onChange={chooseProduct} />
      <ExportStatus state={state} />
    </Panel>
  )
}
