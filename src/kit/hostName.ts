/** The host name of a Host header, in lower case: `d.example.com` of `D.example.com.:443`. Empty without a header. */
export const hostName = (host = ''): string => host.replace(/\.?(:\d*)?$/, '').toLowerCase()

/** True if the host name of a URL has only the characters of names and IP addresses. URLs also allow `;`, `'` and `*`. */
export const isPlainHost = (hostname: string): boolean => /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(hostname)
