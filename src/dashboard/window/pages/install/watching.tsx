import { CircleCheck, CircleDashed } from 'lucide'
import type { IntakeReport, Refusal } from '#contract/intake.ts'
import { installWords as words } from '#dashboard/words/en/install.ts'
import { liveWords } from '#dashboard/words/en/live.ts'
import { useAddress, useRead } from '../../data/here.tsx'
import { zone } from '../../data/signal.ts'
import { Icon } from '../../parts/icon.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { Skeleton, View } from '../../parts/view.tsx'
import { AllowOrigin } from '../live/allowOrigin.tsx'
import { PreviewLink } from './previewLink.tsx'
import { TestEvent } from './testEvent.tsx'

/** Often, because somebody waits for it beside their site. */
const everyMs = 2_000

type CheckProps = {
  name: keyof typeof words.checks
  seen: { at: number; host?: string } | undefined
  /** What it waits for, where that is not the usual. */
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

/** The refused calls of each origin, once. */
function Refused({ tagId, refusals }: { tagId: string; refusals: readonly Refusal[] }) {
  const byOrigin = new Map(refusals.map((each) => [`${each.code} ${each.origin}`, each]))
  if (byOrigin.size === 0) return null
  return (
    <div class="refusedCalls">
      <h3>{words.refused(refusals.length)}</h3>
      <ul>
        {[...byOrigin].slice(0, 5).map(([key, { code, origin, at }]) => (
          <li key={key}>
            <span>
              <bdi>{origin ?? liveWords.noOrigin}</bdi>
              <small class="soft">
                <span title={code}>{liveWords.refusalName(code)}</span> · <Time at={at} look="ago" />
              </small>
            </span>
            {code === 'ORIGIN_REFUSED' && origin && <AllowOrigin tagId={tagId} origin={origin} />}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Follows the first calls of a site. `isWaiting`: its pages send nothing before a consent. */
export function Watching({ tagId, isWaiting }: { tagId: string; isWaiting: boolean }) {
  const address = useAddress()
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
                    {words.arrived(newest.eventName)}{' '}
                    <a
                      href={address(
                        'event',
                        { tagId, eventId: newest.eventId },
                        { caller: newest.caller === 'untrusted' ? 'untrusted' : undefined },
                      )}
                    >
                      {words.seeJourney}
                    </a>
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
