import { bearerAuth } from '#provider/form/authorization.ts'
import { asKnown } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { truncateBytes } from '#provider/form/text.ts'
import { plain } from '#provider/form/userRule.ts'
import { text } from '#provider/form/variables.ts'
import { googleTokenRequest, serviceAccountCheck, serviceAccountProject } from '#provider/vendors/googleSignIn.ts'

const scope = 'https://www.googleapis.com/auth/pubsub'

const wholeTopic = /^projects\/[\w.:-]{1,100}\/topics\/[\w.~+%-]{1,255}$/
const topicName = /^[A-Za-z][\w.~+%-]{0,254}$/

/** `projects/<project>/topics/<topic>`. Undefined if the project is not known. */
function topicPath(topic: string, account: string): string | undefined {
  if (wholeTopic.test(topic)) return topic
  const project = serviceAccountProject(account)
  const path = `projects/${project}/topics/${topic}`
  return project && wholeTopic.test(path) ? path : undefined
}

export default provider({
  label: 'GCP Pub/Sub',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional', 'necessary'],
  docs: 'https://docs.cloud.google.com/pubsub/docs/reference/rest/v1/projects.topics/publish',
  dashboardUrl: 'https://console.cloud.google.com/cloudpubsub/topic/list',
  links: {
    onboarding: 'https://docs.cloud.google.com/pubsub/docs/access-control',
    introduction: 'https://docs.cloud.google.com/pubsub/docs/overview',
    faq: 'https://docs.cloud.google.com/pubsub/quotas',
  },
  host: 'fixed',

  secrets: {
    DESTINATION: text('Destination', 'Whose topic the events go to. The only value is self: a topic of your own.', {
      placeholder: 'self',
      check: (destination: string) => (destination === 'self' ? undefined : 'Write self.'),
    }),
    SELF_SERVE_TOPIC: text(
      'Topic',
      'Pub/Sub, Topics: its full name, or its id in the project of the service account.',
      {
        placeholder: 'projects/shop/topics/events',
        check: (topic: string) =>
          wholeTopic.test(topic) || topicName.test(topic) ? undefined : 'Write projects/<project>/topics/<topic>.',
      },
    ),
    SELF_SERVE_SERVICE_ACCOUNT_JSON: text(
      'Service account key',
      'IAM, Service accounts, Keys, Add key, JSON: the whole file. The account needs the role Pub/Sub Publisher.',
      { sensitive: true, check: serviceAccountCheck },
    ),
  },

  events: standardEventNames,
  customEventName: (eventName) => eventName,
  // The customer's own topic receives the event unchanged, with unhashed personal values.
  user: { email: plain('email', asKnown), phone: plain('phone', asKnown) },
  personId: 'none',
  dedup: 'none at the topic; consumers read the attribute eventId',

  tokenRequest: {
    request: ({ SELF_SERVE_SERVICE_ACCOUNT_JSON: serviceAccount }, now) =>
      googleTokenRequest({ serviceAccount }, scope, now),
  },
  request({ event: { eventName, eventId }, payload, token }, secrets) {
    if (secrets.DESTINATION !== 'self') return { skipped: 'filtered' }
    const topic = topicPath(secrets.SELF_SERVE_TOPIC, secrets.SELF_SERVE_SERVICE_ACCOUNT_JSON)
    // Neither the topic nor the key file names the project.
    if (!topic) return { skipped: 'keyRejected' }
    const data = Buffer.from(JSON.stringify(payload)).toString('base64')
    // A value has at most 1,024 bytes. Messages have no ordering key: all messages of a request would need the same
    // one.
    const attributes = { eventName: truncateBytes(eventName, 1_024), eventId: truncateBytes(eventId, 1_024) }
    return {
      url: `https://pubsub.googleapis.com/v1/${topic}:publish`,
      headers: { authorization: bearerAuth(token) },
      json: { messages: [{ data, attributes }] },
    }
  },
  // Pub/Sub accepts 1,000 messages and 10 MB. It accepts or rejects a request as a whole.
  batch: { listPath: 'messages', maxEvents: 1_000, maxBytes: 5_000_000 },
})
