import type { AttemptContext } from './attemptContext.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'

/** Counts the match keys of what is delivered. A failure to count is logged, and changes no delivery. */
export const deliveredCounter =
  ({ intakeLog, log }: Pick<DeliveryDeps, 'intakeLog' | 'log'>) =>
  ({ tag, provider, script, outgoing, delivery }: AttemptContext): void => {
    const { scriptId } = script
    try {
      intakeLog.addMatch({ tag, scriptId, provider, place: delivery, outgoing })
    } catch (error) {
      log({ level: 'error', message: 'could not count the match keys of a delivery', scriptId, error })
    }
  }
