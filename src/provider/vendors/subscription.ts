import type { RequestContext, RequestSpec } from '#provider/form/request.ts'
import { inSteps, type RequestSteps, type StepSpec } from '#provider/form/steps.ts'
import { digitsCheck } from '#provider/form/valueChecks.ts'
import { optional, text } from '#provider/form/variables.ts'

type SubscribeContext = Pick<RequestContext, 'kind' | 'event' | 'consent'>

/** Whether an event may add the person to a list: only `Subscribe`, and only if the person did not refuse advertising. */
export const isSubscription = ({ kind, event, consent }: SubscribeContext): boolean =>
  kind === 'tag' && event.eventName === 'Subscribe' && consent.advertising !== 'denied'

/**
 * The requests for an event. If the customer set a list and the event may add the person, the request that adds the
 * person comes first. `add`: undefined if the person has no e-mail.
 */
export function withSubscription(
  context: SubscribeContext,
  list: string | undefined,
  add: (list: string) => StepSpec | undefined,
  ...requests: readonly RequestSpec[]
): readonly RequestSpec[] | RequestSteps {
  const added = list && isSubscription(context) ? add(list) : undefined
  return added ? inSteps([added, ...requests]) : requests
}

/** The variable for the list to which `Subscribe` adds people. Without a list, nobody is added. */
export const listVariable = (
  label: string,
  where: string,
  placeholder: string,
  check: (id: string) => string | undefined = digitsCheck,
) =>
  text(label, `${where} Subscribe adds the person to it, unless the person refused advertising. No other event does.`, {
    ...optional,
    placeholder,
    check,
  })
