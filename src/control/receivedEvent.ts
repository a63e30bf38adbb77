import { isDeepStrictEqual } from 'node:util'
import type { TagEvent } from '#contract/event.ts'
import type { Journey } from '#contract/journey.ts'
import type { DecidedDelivery } from '#delivery/deliveryFacts.ts'
import { eventLimits } from '#event/eventLimits.ts'
import { eventWarnings } from '#event/eventWarnings.ts'
import type { RecordEvent } from '#event/record.ts'
import type { PluginContext } from '#plugin/plugin.ts'
import { runPlugins } from '#plugin/runPlugins.ts'
import { plugins } from '#plugins/index.ts'
import type { RawPerson } from '#provider/form/person.ts'
import { unusedKeysOf } from '#provider/form/unusedKeys.ts'
import { rulesOf } from '#rule/compileRules.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import type { TagRecord } from '#store/store.ts'
import { noCaptureRules } from '#user/captureRules.ts'
import { findCustomer, maxCustomerEmails, readCustomerId } from '#user/customer.ts'
import { attachPerson, deviceOf, type PersonSources } from '#user/outboundPerson.ts'
import { type Profile, readUserFacts } from '#user/profile.ts'
import type { ControlDeps } from './controlDeps.ts'

type PluginStep = NonNullable<Journey['afterPlugins']>[number]
type ReceivedEvent = Pick<Journey, 'received' | 'afterPlugins' | 'deployment' | 'warnings' | 'unusedKeys'> & {
  filteredBy?: string
  ruled: RuledEvent
}

/** The event after the plugins, and its person, as channel rules read them. */
export type RuledEvent = NonNullable<DecidedDelivery['ruled']>

type StepOfEvent = Omit<PluginStep, 'event'> & { event?: TagEvent }

/** The event after each plugin. A plugin that changes nothing has a step without an event. */
export function pluginSteps(
  event: TagEvent,
  { plugins: chosen }: Pick<Snapshot, 'plugins'>,
  deps: PluginContext,
): StepOfEvent[] {
  const steps: StepOfEvent[] = []
  let current = event
  for (const each of chosen) {
    const result = runPlugins(current, [each], plugins, deps)
    if ('filtered' in result) return [...steps, { plugin: each.plugin, filtered: true }]
    const isChanged = JSON.stringify(result.event) !== JSON.stringify(current)
    const added = result.more?.map(({ eventName }) => eventName)
    steps.push({ plugin: each.plugin, ...(isChanged && { event: result.event }), ...(added && { added }) })
    current = result.event
  }
  return steps
}

/** The person of an event, as sent to vendors. */
function personOfEvent(
  { event, context, userId }: RecordEvent,
  own: Profile | undefined,
  where: Pick<PersonSources, 'tag' | 'place'>,
): RawPerson {
  const facts = readUserFacts(event, noCaptureRules, context.kind)
  return attachPerson(event, { context, userId, facts, own, ...where }).person
}

/** The event after the rules of a script; undefined if they change nothing. */
export function afterRules(
  script: SnapshotScript,
  { event, person }: RuledEvent,
): Pick<Journey['deliveries'][number], 'afterRules'> {
  const mapped = rulesOf(script)?.map(event, person, eventLimits)
  if (!mapped || mapped.refusedBy !== undefined || isDeepStrictEqual(mapped.event, event)) return {}
  return { afterRules: mapped.event }
}

/** Warns about a trusted event whose customer id is shared by many people: it is not joined with any of them. */
async function sharedIdWarning(deps: ControlDeps, tag: TagRecord, { event, context }: RecordEvent): Promise<string[]> {
  const customerId = context.trusted ? readCustomerId(event) : undefined
  if (customerId === undefined) return []
  const { isShared } = await findCustomer(tag, { customerId, at: context.receivedAt }, deps)
  return isShared
    ? [`its customer id came with more than ${maxCustomerEmails} e-mails in 30 days, so it is not used to match users`]
    : []
}

/**
 * The event as received and after each plugin. The plugins run again, with the settings of the deployment at that time
 * and the user's present history.
 */
export async function receivedEvent(
  deps: ControlDeps,
  tag: TagRecord,
  recorded: RecordEvent,
  place: Journey['place'],
): Promise<ReceivedEvent> {
  const { event, context, userId, isErased } = recorded
  const deployment = await deps.store.deploymentAt(tag.tagId, context.receivedAt)
  const own = isErased ? undefined : await deps.profiles.get({ tag, userId })
  const rates = deps.rates?.()
  const { userAgent } = deviceOf(event, context)
  const pluginContext = {
    history: own?.history ?? {},
    now: deps.clock.now(),
    ...(rates && { rates }),
    ...(userAgent && { userAgent }),
  }
  const hasPlugins = context.kind === undefined && !context.isMadeByCode
  const steps = deployment && hasPlugins ? pluginSteps(event, deployment.snapshot, pluginContext) : []
  const where = { ...(deployment && { tag: deployment.snapshot }), ...(place && { place }) }
  const person = personOfEvent(recorded, own, where)
  const unusedKeys = isErased ? [] : unusedKeysOf(person)
  const filteredBy = steps.find(({ filtered }) => filtered)?.plugin
  const warnings = [...eventWarnings(event, deps.brand), ...(await sharedIdWarning(deps, tag, recorded))]
  return {
    received: event,
    afterPlugins: steps,
    ...(warnings.length > 0 && { warnings }),
    ...(unusedKeys.length > 0 && { unusedKeys }),
    ...(deployment && { deployment: deployment.number }),
    ...(filteredBy !== undefined && { filteredBy }),
    ruled: { event: steps.findLast((step) => step.event)?.event ?? event, person, userId },
  }
}
