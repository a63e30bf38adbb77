/** The faults of alert rules and of the contact points that they send to. */
export const alertFaults = {
  contactPointUnknown: { status: 404, code: 'CONTACT_POINT_UNKNOWN', message: 'Contact point not found.' },
  contactPointUnconfirmed: {
    status: 409,
    code: 'CONTACT_POINT_UNCONFIRMED',
    message: 'The address is not confirmed. Enter the code from its e-mail with POST /contact-point/{name}/confirm.',
  },
  contactCodeWrong: {
    status: 409,
    code: 'CONTACT_CODE_WRONG',
    message: 'The code is wrong, used or older than a day. Save the contact point again to get a new one.',
  },
  alertRuleUnknown: { status: 404, code: 'ALERT_RULE_UNKNOWN', message: 'Alert rule not found.' },
} as const satisfies Record<string, { status: number; code: string; message: string }>
