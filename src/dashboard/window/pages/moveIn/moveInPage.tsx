import { CircleCheck, TriangleAlert } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import type { ProviderRow } from '#dashboard/form/channelForm.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { moveInWords as words } from '#dashboard/words/en/moveIn.ts'
import type { ImportProduct } from '#import/json.ts'
import { useAddress, useHere } from '../../data/here.tsx'
import { useManifest, useQueryState } from '../../data/tag.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { SelectField } from '../../parts/inputs.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Empty, Note, Skeleton, View } from '../../parts/view.tsx'
import { ChannelPanel } from './channelPanel.tsx'
import { PlanPanel, TargetPanel } from './planPanel.tsx'
import { PromotePanel } from './promotePanel.tsx'
import { ReportPanel } from './reportPanel.tsx'
import { type ExportChoice, useExport } from './useExport.ts'
import { type Moved, useMove } from './useMove.ts'

const products = [['', words.anyProduct], ...Object.entries(words.products)] as [ImportProduct | '', string][]

/** Accepts files dropped anywhere on the page, and returns whether files are dragged over it. */
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

/** The export that is being read, was read, or was refused. */
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

/** Chooses the export: by the file field, or by dropping files on the page. */
function ExportPanel({ of: { state, product, choose, chooseProduct } }: { of: ExportChoice }) {
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

/** The result of the move, and the next steps. */
function Done({ of: { tagId, tag, channels, errors } }: { of: Moved }) {
  const address = useAddress()
  return (
    <div class="panel">
      <Note
        icon={CircleCheck}
        title={words.done(channels, tag)}
        action={
          <>
            <LinkButton variant="primary" href={address('channels', { tagId })}>
              {words.openChannels}
            </LinkButton>{' '}
            <LinkButton href={address('install', { tagId })}>{words.openInstall}</LinkButton>
          </>
        }
      >
        <p role="status">{words.doneText}</p>
        {errors.length > 0 && (
          <p role="alert">
            {words.hookErrors}: {errors.join(' ')}
          </p>
        )}
      </Note>
    </div>
  )
}

function MoveIn({ providers, tagId }: { providers: readonly ProviderRow[]; tagId: string }) {
  const move = useMove(providers, tagId)
  const chosen = useExport(providers, move.begin)
  const { state } = chosen
  const help = (
    <a href="/docs/moving-from-gtm" target="_blank" rel="noreferrer">
      {words.helpLink}
    </a>
  )
  if (state.is !== 'read')
    return (
      <>
        <ExportPanel of={chosen} />
        {state.is === 'none' && (
          <div class="panel">
            <Empty title={words.emptyTitle} action={help}>
              {words.empty}
            </Empty>
          </div>
        )}
      </>
    )
  const report = <ReportPanel of={state.result.report} text={state.report} />
  if (move.moved)
    return (
      <>
        <Done of={move.moved} />
        {report}
      </>
    )
  return (
    <>
      <ExportPanel of={chosen} />
      {report}
      <ChannelPanel move={move} providers={providers} />
      <TargetPanel move={move} providers={providers} />
      <PlanPanel move={move} />
    </>
  )
}

/** A sandbox tag, planned and applied in production. */
function Promote({ of, providers }: { of: string; providers: readonly ProviderRow[] }) {
  const move = useMove(providers, '')
  if (move.moved) return <Done of={move.moved} />
  return (
    <>
      <PromotePanel of={of} providers={providers} onRead={move.promote} />
      {move.result && (
        <>
          <ChannelPanel move={move} providers={providers} />
          <TargetPanel move={move} providers={providers} />
          <PlanPanel move={move} />
        </>
      )}
    </>
  )
}

/** An export of another product: its report, its channels, the plan, and the tag that receives the channels. */
export default function MoveInPage() {
  const { me, environment } = useHere()
  const address = useAddress()
  const manifest = useManifest()
  const [{ tag, sandbox }] = useQueryState()
  const promoted = environment === 'production' ? sandbox : undefined
  const tagId = me.tags.find((each) => each.tagId === tag)?.tagId ?? ''
  return (
    <>
      <PageHead
        above={<a href={address('team', {})}>{frameWords.title.team}</a>}
        title={promoted ? words.promote : words.title}
        below={promoted ? words.promoteIntro : words.intro}
      />
      <div class="stack moveIn">
        <View of={manifest} skeleton={<Skeleton rows={6} />}>
          {({ providers = [] }) =>
            promoted ? <Promote of={promoted} providers={providers} /> : <MoveIn providers={providers} tagId={tagId} />
          }
        </View>
      </div>
    </>
  )
}
