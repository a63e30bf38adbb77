import type { RequestSpec } from '#provider/form/request.ts'
import type { SecretsOf } from '#provider/form/secret.ts'
import { identifier, optional, password, text } from '#provider/form/variables.ts'

/** The variables for signing AWS requests. `actions`: the actions that the user's policy must allow. */
export const awsSecrets = (actions: string) =>
  ({
    AWS_ACCESS_KEY_ID: identifier(
      'Access key ID',
      `IAM, a user that may ${actions}, Security credentials, Access keys.`,
    ),
    AWS_SECRET_ACCESS_KEY: password('Secret access key', 'Shown once, when you create the access key.'),
    AWS_SESSION_TOKEN: password(
      'Session token',
      'Only with temporary keys. They expire; replace them before that.',
      optional,
    ),
    AWS_REGION: text('Region', 'The region code at the top right of the console.', {
      isHostLabel: true,
      placeholder: 'eu-central-1',
    }),
  }) as const

const contentType = 'application/x-amz-json-1.1'

/** A signed request for an action: `Kinesis_20131202.PutRecord`. `host`: the first label of the service's host name. */
export function awsRequest(
  { AWS_REGION: region, AWS_SESSION_TOKEN: sessionToken, ...keys }: SecretsOf<ReturnType<typeof awsSecrets>>,
  { host, service = host, action }: { host: string; service?: string; action: string },
  json: unknown,
): RequestSpec {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = keys
  return {
    url: `https://${host}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`,
    headers: { 'content-type': contentType, 'x-amz-target': action },
    json,
    sign: { aws4: { service, region, accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) } },
  }
}

/** Error types of throttled requests. */
export const awsThrottlingPattern = /(Throughput|Limit)Exceeded|Throttling/

/** AWS responds to throttling with a 400. Only the error type shows it; the type may follow a namespace and `#`. */
export const awsResponseRules = [
  { path: '__type', matches: awsThrottlingPattern, verdict: 'throttled' },
  {
    path: '__type',
    matches: /ExpiredToken|UnrecognizedClient|InvalidSignature|IncompleteSignature|AccessDenied/,
    verdict: 'keyRejected',
  },
] as const
