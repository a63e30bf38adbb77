import type { AttemptContext } from './attemptContext.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'

/**
 * Counts the match keys of delivered events. If counting fails, the error is logged and the delivery is unaffected.
 */
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
