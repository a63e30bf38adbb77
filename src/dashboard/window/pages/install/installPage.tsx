import { CircleCheck, CircleDashed, Eye, Send } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import type { IntakeReport, Refusal } from '#contract/intake.ts'
import type { PreviewLink as Link, PreviewDelivery } from '#contract/previewLink.ts'
import type { Tag } from '#contract/tag.ts'
import type { TestJourney } from '#contract/testEvent.ts'
import { sampleEvent } from '#dashboard/form/sampleEvent.ts'
import { consentSnippets, policyLines, type SnippetKind, snippets, waitsForConsent } from '#dashboard/form/snippet.ts'
import { installWords as words } from '#dashboard/words/en/install.ts'
import { liveWords } from '#dashboard/words/en/live.ts'
import { useAction } from '../../data/action.ts'
import { callsOf, useEventAddress, useHere, useMay, useRead } from '../../data/here.tsx'
import { zone } from '../../data/signal.ts'
import { useChannelName } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Tabs } from '../../parts/inputs.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine, Skeleton, View } from '../../parts/view.tsx'
import { TestResult } from '../channels/testResult.tsx'
import { AllowOrigin } from '../live/allowOrigin.tsx'
import { Hosts } from './hosts.tsx'

const pollMs = 2_000
/** An answer has up to 50 events; if there are more, the newest are shown. */
const pageSize = 50
const shownBefore = 10

/** The events of a link as they arrive, newest first. */
function PreviewEvents({ tagId, link }: { tagId: string; link: Link }) {
  const { previewId } = link
  const nameOf = useChannelName(tagId)
  const [after, setAfter] = useState(0)
  const read = (api: Client) => api.listPreviewEvents({ tagId, previewId, after })
  const { data, error } = useRead(['previewEvents', previewId, after], read, { everyMs: pollMs, staysWhile: previewId })
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

/** Makes a link that runs the saved version in the person's own browser, and shows its events. */
function PreviewLink({ tagId }: { tagId: string }) {
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

/** Sends a test event to every channel of the tag, for people without a site at hand. */
function TestEvent({ tagId }: { tagId: string }) {
  const { why } = useMay('script:write', 'event:write')
  const nameOf = useChannelName(tagId)
  const action = useAction()
  const [result, setResult] = useState<TestJourney>()
  const send = async () => {
    const body = { event: sampleEvent('PageView'), send: true }
    const journey = await action.run((api) => api.testTag({ tagId, body }))
    if (journey) setResult(journey)
  }
  return (
    <Panel
      title={words.noSite}
      note={words.testNote}
      actions={
        <Button icon={Send} why={why} isBusy={action.isBusy} onClick={send}>
          {words.sendTest}
        </Button>
      }
    >
      <ProblemLine error={action.error} />
      {result && <TestResult journey={result} nameOf={nameOf} />}
    </Panel>
  )
}

/** Short, because somebody is waiting beside their site. */
const everyMs = 2_000

type CheckProps = {
  name: keyof typeof words.checks
  seen: { at: number; host?: string } | undefined
  /** The text of what it waits for, if not the usual one. */
  waitsFor?: string | undefined
}

function Check({ name, seen, waitsFor }: CheckProps) {
  const [title, usual] = words.checks[name]
  const waits = waitsFor ?? usual
  return (
    <li class={seen ? 'done' : ''}>
      <Icon of={seen ? CircleCheck : CircleDashed} />
      <span>
        <b>{title}</b>
        <small class="soft">{seen ? words.seen(seen.at, seen.host, zone.value.value) : waits}</small>
      </span>
    </li>
  )
}

/** The refused calls, once for each origin. */
function Refused({ tagId, refusals }: { tagId: string; refusals: readonly Refusal[] }) {
  const byOrigin = new Map(refusals.map((each) => [`${each.code} ${each.origin}`, each]))
  if (byOrigin.size === 0) return null
  return (
    <div class="refusedCalls">
      <h3>{words.refused(refusals.length)}</h3>
      <ul class="lineList">
        {[...byOrigin].slice(0, 5).map(([key, { code, origin, at }]) => (
          <li key={key}>
            <span>
              <bdi>{origin ?? liveWords.noOrigin}</bdi>
              <small class="soft">
                <span title={code}>{liveWords.refusalName(code)}</span> · <Time at={at} format="ago" />
              </small>
            </span>
            {code === 'ORIGIN_REFUSED' && origin && <AllowOrigin tagId={tagId} origin={origin} />}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Follows the first calls of a site. `isWaiting`: its pages send nothing before consent. */
function Watching({ tagId, isWaiting }: { tagId: string; isWaiting: boolean }) {
  const address = useEventAddress(tagId)
  const intake = useRead(['intakeNow', tagId], (api) => api.readIntake({ tagId }), { everyMs })
  const events = useRead(['newestEvent', tagId], (api) => api.listEvents({ tagId, limit: 1 }), { everyMs })
  const newest = events.data?.events[0]
  const seenOf = (call: IntakeReport['seen'][number]['call']) => intake.data?.seen.find((each) => each.call === call)
  return (
    <div class="stack">
      <Panel title={words.watching} note={words.watchingNote}>
        <View of={intake} skeleton={<Skeleton rows={3} />}>
          {({ refusals }) => (
            <>
              <ol class="checklist plain">
                <Check name="load" seen={seenOf('load')} />
                <Check
                  name="init"
                  seen={seenOf('init')}
                  waitsFor={isWaiting && seenOf('load') ? words.initAfterConsent : undefined}
                />
                <Check
                  name="event"
                  seen={newest && { at: newest.receivedAt, ...(seenOf('tag')?.host && { host: seenOf('tag')!.host! }) }}
                />
              </ol>
              <p role="status">
                {newest && (
                  <>
                    {words.arrived(newest.eventName)} <a href={address(newest)}>{words.seeJourney}</a>
                  </>
                )}
              </p>
              <Refused tagId={tagId} refusals={refusals} />
            </>
          )}
        </View>
      </Panel>
      <TestEvent tagId={tagId} />
      <PreviewLink tagId={tagId} />
    </div>
  )
}

/** The call of the banner, for a tag that waits for consent. */
function ConsentCall({ kind, tag }: { kind: SnippetKind; tag: Tag | undefined }) {
  const text = consentSnippets[kind]
  if (!text || !tag || !waitsForConsent(tag)) return null
  return (
    <>
      <h3>{words.consent}</h3>
      <p class="hint">{words.consentWaits[tag.captureBeforeConsent === 'none' ? 'none' : 'memory']}</p>
      <Code text={text} label={words.consent} />
      <p class="hint">{words.noBanner}</p>
    </>
  )
}

function Snippet({ tagUrl, tag }: { tagUrl: string; tag: Tag | undefined }) {
  const [kind, setKind] = useState<SnippetKind>('page')
  return (
    <Panel
      title={words.snippet}
      note={words.hints[kind]}
      actions={<Tabs label={words.snippet} of={words.kinds} value={kind} onChange={setKind} />}
    >
      <Code text={snippets[kind](tagUrl)} label={words.snippet} isTall />
      <ConsentCall kind={kind} tag={tag} />
      {kind !== 'server' && kind !== 'typescript' && (
        <>
          <h3>{words.csp}</h3>
          <p class="hint">{words.cspHint}</p>
          <Code text={policyLines(tagUrl)} label={words.csp} />
        </>
      )}
    </Panel>
  )
}

function Install({ tagId, name, tagUrl }: { tagId: string; name: string; tagUrl: string }) {
  const tag = useRead(['tag', tagId], (api) => api.readTag({ tagId }), { everyMs: 30_000 })
  return (
    <>
      <PageHead title={words.title(name)} />
      <div class="columns installColumns">
        <div class="stack">
          <Snippet tagUrl={tagUrl} tag={tag.data} />
          <Hosts tagId={tagId} reading={tag} />
        </div>
        <Watching tagId={tagId} isWaiting={tag.data !== undefined && waitsForConsent(tag.data)} />
      </div>
    </>
  )
}

/** What the site needs, and whether it is installed. */
export default tagPage(Install)
