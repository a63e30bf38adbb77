/** The host name of a Host header, in lower case: `d.example.com` of `D.example.com.:443`. Empty without a header. */
export const hostName = (host = ''): string => host.replace(/\.?(:\d*)?$/, '').toLowerCase()

/** The host name of a URL holds only letters, digits and the signs of names and addresses. URLs allow `;`, `'` and `*` too. */
export const isPlainHost = (hostname: string): boolean => /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(hostname)
