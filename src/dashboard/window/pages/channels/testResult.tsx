import type { Journey } from '#contract/journey.ts'
import { messageText } from '#dashboard/explain/curl.ts'
import { explain } from '#dashboard/explain/explain.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { eventWords } from '#dashboard/words/en/events.ts'
import { ruleWords } from '#dashboard/words/en/rules.ts'
import { duration } from '#dashboard/words/format.ts'
import { Code } from '../../parts/code.tsx'
import { Status } from '../../parts/status.tsx'

type Delivered = Journey['deliveries'][number]

type TriedProps = { delivery: Delivered; eventName: string; name: string | undefined; isPreview: boolean | undefined }

/** The requests of a test and the vendor's answers, or the reason why nothing is sent. */
function Tried({ delivery, eventName, name, isPreview }: TriedProps) {
  const { status, reason, attempts, afterRules } = delivery
  const isPlanned = isPreview && status === 'simulated'
  const last = attempts.at(-1)
  const { sentence } = explain(delivery, eventName)
  return (
    <li class="stack tight tried">
      <p class="line">
        {name && <b>{name}</b>}
        <Status of={status} reason={reason} {...(isPlanned && { text: eventWords.wouldBeSent })} />
        {last?.status !== undefined && (
          <span class="number soft">{words.tested(last.status, duration(last.durationMs))}</span>
        )}
      </p>
      <p class="sentence">{isPlanned ? words.previewed : sentence}</p>
      {afterRules && <Code text={JSON.stringify(afterRules, undefined, 2)} label={ruleWords.afterRules} />}
      {attempts
        .flatMap(({ exchanges = [] }) => exchanges)
        .map(({ request, response }, at) => (
          <div key={at} class="stack tight">
            <Code
              text={messageText(`${request.method} ${request.url}`, request.headers, request.body)}
              label={eventWords.request}
            />
            {response && (
              <Code
                text={messageText(eventWords.http(response.status), response.headers, response.body)}
                label={eventWords.response}
              />
            )}
          </div>
        ))}
    </li>
  )
}

type TestResultProps = {
  journey: Pick<Journey, 'eventName' | 'deliveries'>
  nameOf?: (scriptId: string) => string
  /** The requests were built and not sent. */
  isPreview?: boolean
}

/** The result of a test event. It is not stored anywhere, so it is shown here. */
export function TestResult({ journey, nameOf, isPreview }: TestResultProps) {
  if (journey.deliveries.length === 0) return <p role="status">{words.nothingSent}</p>
  return (
    <ul class="stack tight" role="status">
      {journey.deliveries.map((delivery) => (
        <Tried
          key={delivery.deliveryId}
          delivery={delivery}
          eventName={journey.eventName}
          name={nameOf?.(delivery.scriptId)}
          isPreview={isPreview}
        />
      ))}
    </ul>
  )
}
