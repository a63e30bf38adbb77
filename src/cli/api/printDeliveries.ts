import type { ProgramDeps } from '#cli/cliDeps.ts'
import type { DeliveryRow } from '#contract/delivery.ts'
import { isolateDirection, terminalText } from '#contract/displayText.ts'
import type { StreamMessage } from '#contract/eventStream.ts'

/** A delivery in one line: time, event, provider, script and state. */
function formatDelivery({ at, eventName, eventId, scriptId, providerId, ...state }: DeliveryRow): string {
  const { status, reason, httpStatus, message } = state
  const [name, id, says] = [eventName, eventId ?? '', message].map(
    (text) => text && isolateDirection(terminalText(text.split('\n')[0]!)),
  )
  const details = [status, reason, httpStatus, says].filter((each) => each !== undefined)
  return `${new Date(at).toISOString()}  ${name} ${id}  ${providerId} ${scriptId}  ${details.join(' ')}\n`
}

/** Prints one line for each delivery until the stream ends; with `--json` each line is a JSON value. */
export async function printDeliveries(
  messages: AsyncIterable<StreamMessage<unknown>>,
  { json }: { json?: boolean },
  deps: Pick<ProgramDeps, 'print' | 'printError'>,
): Promise<void> {
  for await (const { event, data } of messages) {
    if (event === 'delivery') deps.print(json ? `${JSON.stringify(data)}\n` : formatDelivery(data as DeliveryRow))
    else deps.printError(`${event === 'leftOut' ? 'Skipped' : 'Closed'}: ${JSON.stringify(data)}\n`)
  }
}
