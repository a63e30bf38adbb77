/**
 * Who chooses the host name of the requests. `fixed`: the provider file; only these requests skip the outbound guard.
 * `label`: the provider file, except for one label that a variable sets. `tenant`: a variable sets the address of the
 * customer's instance at the vendor. `customer`: a variable sets the address of the customer's own system.
 */
export type HostKind = 'fixed' | 'label' | 'tenant' | 'customer'

/** Whether the customer sets the address. Such a channel also sends requests in the sandbox environment. */
export const isCustomerAddress = (host: HostKind): boolean => host === 'tenant' || host === 'customer'
