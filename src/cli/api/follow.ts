import type { DeliveryRow } from '#contract/delivery.ts'
import type { StreamMessage } from '#contract/stream.ts'
import type { ProgramWorld } from '../world.ts'

/** A delivery in a line: when, which event, to whom, and how it stands. */
export function lineOf({ at, eventName, eventId, scriptId, providerId, ...stands }: DeliveryRow): string {
  const { status, reason, httpStatus, message } = stands
  const how = [status, reason, httpStatus, message?.split('\n')[0]].filter((each) => each !== undefined)
  return `${new Date(at).toISOString()}  ${eventName} ${eventId ?? ''}  ${providerId} ${scriptId}  ${how.join(' ')}\n`
}

/** Prints what comes until it ends: a line each, and with `--json` a JSON value on each line. */
export async function follow(
  messages: AsyncIterable<StreamMessage<unknown>>,
  { json }: { json?: boolean },
  on: Pick<ProgramWorld, 'print' | 'complain'>,
): Promise<void> {
  for await (const { event, data } of messages) {
    if (event === 'delivery') on.print(json ? `${JSON.stringify(data)}\n` : lineOf(data as DeliveryRow))
    else on.complain(`${event === 'leftOut' ? 'Left out' : 'Closed'}: ${JSON.stringify(data)}\n`)
  }
}
