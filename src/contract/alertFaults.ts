/** The faults of alert rules and of the contact points that they send to. */
export const alertFaults = {
  contactPointUnknown: { status: 404, code: 'CONTACT_POINT_UNKNOWN', message: 'There is no such contact point.' },
  contactPointUnconfirmed: {
    status: 409,
    code: 'CONTACT_POINT_UNCONFIRMED',
    message:
      'The address is not confirmed: enter the code that was sent to it with POST /contact-point/{name}/confirm.',
  },
  contactCodeWrong: {
    status: 409,
    code: 'CONTACT_CODE_WRONG',
    message: 'The code is wrong, was used, or is older than a day: save the contact point again to get another one.',
  },
  alertRuleUnknown: { status: 404, code: 'ALERT_RULE_UNKNOWN', message: 'There is no such alert rule.' },
} as const satisfies Record<string, { status: number; code: string; message: string }>
