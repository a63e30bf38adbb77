import { FlaskConical } from 'lucide'
import { useState } from 'preact/hooks'
import type { Delivery, Journey } from '#contract/journey.ts'
import type { TestJourney, TestWrite } from '#contract/testEvent.ts'
import { messageText } from '#dashboard/explain/curl.ts'
import { explain } from '#dashboard/explain/explain.ts'
import { eventWords as words } from '#dashboard/words/en/events.ts'
import { useAction } from '../../data/action.ts'
import { useMay } from '../../data/here.tsx'
import { useChannelName } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Status } from '../../parts/status.tsx'
import { ProblemNote, Skeleton } from '../../parts/view.tsx'

/** The status of a test delivery that would be sent. */
const wouldSend = 'simulated'

type RowProps = { name: string; then: Delivery | undefined; today: Delivery | undefined; eventName: string }

/** One channel: the delivery's status, and its status with today's settings. */
function Row({ name, then, today, eventName }: RowProps) {
  const requests = today?.attempts.flatMap(({ exchanges = [] }) => exchanges) ?? []
  return (
    <li class="stack tight tried">
      <b>{name}</b>
      <dl class="thenToday">
        <dt>{words.before}</dt>
        <dd>{then ? <Status of={then.status} reason={then.reason} /> : words.noSuchChannelThen}</dd>
        <dt>{words.today}</dt>
        <dd>
          {today ? (
            <Status
              of={today.status}
              reason={today.reason}
              {...(today.status === wouldSend && { text: words.wouldBeSent })}
            />
          ) : (
            words.noSuchChannelNow
          )}
        </dd>
      </dl>
      {today && today.status !== wouldSend && <p class="sentence">{explain(today, eventName).sentence}</p>}
      {requests.map(({ request }, at) => (
        <Code
          key={at}
          text={messageText(`${request.method} ${request.url}`, request.headers, request.body)}
          label={words.request}
        />
      ))}
    </li>
  )
}

function Comparison({ tagId, journey, today }: { tagId: string; journey: Journey; today: TestJourney }) {
  const nameOf = useChannelName(tagId)
  const scriptIds = new Set([...journey.deliveries, ...today.deliveries].map(({ scriptId }) => scriptId))
  const of = (deliveries: readonly Delivery[], scriptId: string) =>
    deliveries.find((each) => each.scriptId === scriptId)
  return (
    <ul class="stack tight">
      {[...scriptIds].map((scriptId) => (
        <Row
          key={scriptId}
          name={nameOf(scriptId)}
          then={of(journey.deliveries, scriptId)}
          today={of(today.deliveries, scriptId)}
          eventName={journey.eventName}
        />
      ))}
    </ul>
  )
}

/** Plans the original event with today's settings; sends nothing. */
export function TryToday({ tagId, journey }: { tagId: string; journey: Journey }) {
  const { why } = useMay('script:write', 'event:write')
  const action = useAction()
  const [isOpen, setOpen] = useState(false)
  const [today, setToday] = useState<TestJourney>()
  const { received, redacted, userId } = journey
  if (!received && !redacted) return null
  const run = async () => {
    setOpen(true)
    setToday(undefined)
    const event = received as TestWrite['event']
    setToday(await action.run((api) => api.testTag({ tagId, body: { event, userId, send: false } })))
  }
  return (
    <>
      <Button icon={FlaskConical} why={why ?? (redacted && words.tryTodayRedacted)} onClick={() => void run()}>
        {words.tryToday}
      </Button>
      {isOpen && (
        <Dialog title={words.tryTodayTitle} onClose={() => setOpen(false)}>
          <p class="soft">{words.tryTodayNote}</p>
          {action.error ? (
            <ProblemNote error={action.error} onRetry={() => void run()} />
          ) : today ? (
            <Comparison tagId={tagId} journey={journey} today={today} />
          ) : (
            <Skeleton rows={4} />
          )}
        </Dialog>
      )}
    </>
  )
}
