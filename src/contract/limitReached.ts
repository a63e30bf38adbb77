import { type Fault, fault, faults, type LimitFaultName } from './fault.ts'

/** The fault for a limit, with the limit in its message. `afterMs` is sent as Retry-After in whole seconds. */
export function limitReached(
  name: LimitFaultName,
  limit: number,
  { afterMs, ...attributes }: { afterMs?: number; of?: 'team' | 'tag' } = {},
): Fault {
  return fault(name, {
    message: faults[name].message.replace('{limit}', `${limit}`),
    attributes: { limit, ...attributes },
    ...(afterMs !== undefined && { headers: { 'retry-after': `${retryAfterSeconds(afterMs)}` } }),
  })
}

const retryAfterSeconds = (afterMs: number) => Math.max(1, Math.ceil(Math.min(afterMs, 3_600_000) / 1_000))
