import { Eye } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import type { PreviewLink as Link, PreviewDelivery } from '#contract/previewLink.ts'
import { installWords as words } from '#dashboard/words/en/install.ts'
import { callsOf, useHere, useMay, useRead } from '../../data/here.tsx'
import { useChannelName } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine } from '../../parts/view.tsx'
import { TestResult } from '../channels/testResult.tsx'

const everyMs = 2_000
/** An answer has up to 50 events; of more the newest are shown. */
const pageSize = 50
const shownBefore = 10

/** The events of a link as they arrive, newest first. */
function PreviewEvents({ tagId, link }: { tagId: string; link: Link }) {
  const { previewId } = link
  const nameOf = useChannelName(tagId)
  const [after, setAfter] = useState(0)
  const read = (api: Client) => api.listPreviewEvents({ tagId, previewId, after })
  const { data, error } = useRead(['previewEvents', previewId, after], read, { everyMs, staysWhile: previewId })
  const events = data?.events ?? []
  const last = events.at(-1)?.number ?? 0
  useEffect(() => {
    if (events.length === pageSize) setAfter(last - shownBefore)
  }, [events.length, last])
  return (
    <>
      <ProblemLine error={error} />
      {data && events.length === 0 && <p class="hint">{words.previewWaits}</p>}
      {events.toReversed().map(({ number, journey }) => (
        <section key={number} aria-label={`${number} ${journey.eventName}`}>
          <h3>
            {journey.eventName} <Time at={journey.receivedAt} />
          </h3>
          <TestResult journey={journey} nameOf={nameOf} isPreview={link.deliver === 'none'} />
        </section>
      ))}
    </>
  )
}

/** Makes a link by which a person's own browser runs what is saved, and shows what becomes of its events. */
export function PreviewLink({ tagId }: { tagId: string }) {
  const here = useHere()
  const { why } = useMay('script:write', 'event:write', 'event:read')
  const [busy, setBusy] = useState<PreviewDelivery>()
  const [link, setLink] = useState<Link>()
  const [error, setError] = useState<unknown>()
  const make = async (deliver: PreviewDelivery) => {
    setBusy(deliver)
    setError(undefined)
    await callsOf(here)
      .createPreviewLink({ tagId, body: { draft: true, deliver } })
      .then(setLink, setError)
    setBusy(undefined)
  }
  return (
    <Panel title={words.preview} note={words.previewNote}>
      <div class="row rowActions">
        <Button icon={Eye} why={why} isBusy={busy === 'none'} onClick={() => make('none')}>
          {words.previewNone}
        </Button>
        <Button why={why} isBusy={busy === 'testMode'} onClick={() => make('testMode')}>
          {words.previewTestMode}
        </Button>
      </div>
      <ProblemLine error={error} />
      {link && (
        <>
          <Code text={link.url} label={words.previewLink} />
          <p class="hint">
            {words.previewUntil} <Time at={link.expiresAt} />
          </p>
          <PreviewEvents key={link.previewId} tagId={tagId} link={link} />
        </>
      )}
    </Panel>
  )
}
