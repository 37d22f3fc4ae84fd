/** How a mail provider assigns addresses to mailboxes. */
interface Provider {
  /** The provider's domains. The first stands for all, unless each has separate mailboxes. */
  domains: readonly string[]
  /** Each domain has separate mailboxes, although the same rules hold. */
  hasSeparateMailboxes?: true
  /** Canonical form of the part before the @. */
  local(name: string): string
  /** `x@user.domain` is the mailbox `user@domain`. */
  hasSubdomainAddressing?: true
}

const withoutTag = (name: string) => name.split('+')[0]!

/** Rules of providers, each with its source. For all other providers only `+tag` is cut off (D23). */
const PROVIDERS: readonly Provider[] = [
  {
    // Dots don't matter: support.google.com/mail/answer/7436150; googlemail.com: support.google.com/mail/answer/10313
    domains: ['gmail.com', 'googlemail.com'],
    local: (name) => withoutTag(name).replaceAll('.', ''),
  },
  {
    // Domains: proton.me/support/addresses-and-aliases; characters ignored in a name: removeEmailAlias() in
    // github.com/ProtonMail/WebClients
    domains: ['proton.me', 'protonmail.com', 'pm.me', 'protonmail.ch'],
    local: (name) => withoutTag(name).replace(/[._-]/g, ''),
  },
  {
    // Plus addressing: learn.microsoft.com/exchange/recipients-in-exchange-online/plus-addressing-in-exchange-online
    domains: ['outlook.com', 'outlook.es', 'hotmail.com', 'hotmail.es', 'live.com', 'live.com.mx', 'msn.com'],
    hasSeparateMailboxes: true,
    local: withoutTag,
  },
  {
    // «base-keyword» addresses: help.yahoo.com/kb/SLN28815.html; no other Yahoo address has a hyphen.
    domains: ['yahoo.com', 'yahoo.com.mx', 'yahoo.es', 'ymail.com', 'rocketmail.com', 'myyahoo.com'],
    hasSeparateMailboxes: true,
    local: (name) => withoutTag(name).split('-')[0]!,
  },
  {
    // One name at all three domains: support.apple.com/102591; plus addressing: support.apple.com/guide/icloud/mm6b1a490a
    domains: ['icloud.com', 'me.com', 'mac.com'],
    local: withoutTag,
  },
  {
    // Plus and subdomain addressing: fastmail.help/hc/en-us/articles/360060591053
    domains: ['fastmail.com', 'fastmail.fm', 'fastmail.mx', 'fastmail.es', 'messagingengine.com', 'sent.com'],
    hasSeparateMailboxes: true,
    local: withoutTag,
    hasSubdomainAddressing: true,
  },
  {
    // One mailbox at all domains: yandex.com/support/domain/additional/mailbox-alias.xml; a dot and a hyphen in a name are
    // equal: yandex.com/support/id/authorization/email.html
    domains: ['yandex.com', 'yandex.ru', 'ya.ru', 'yandex.by', 'yandex.kz', 'yandex.ua', 'yandex.com.tr'],
    local: (name) => withoutTag(name).replaceAll('.', '-'),
  },
]

const OF_DOMAIN = new Map(
  PROVIDERS.flatMap((provider) => provider.domains.map((domain) => [domain, provider] as const)),
)

/**
 * The canonical address of a mailbox, for any way to write it. Never used for delivery.
 * @param email in lower case
 * @source D23
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  const name = email.slice(0, at)
  const domain = email.slice(at + 1)
  const provider = OF_DOMAIN.get(domain)
  if (provider)
    return `${provider.local(name) || withoutTag(name)}@${provider.hasSeparateMailboxes ? domain : provider.domains[0]}`
  const [user = '', ...rest] = domain.split('.')
  const above = OF_DOMAIN.get(rest.join('.'))
  if (above?.hasSubdomainAddressing) return `${user}@${rest.join('.')}`
  return `${withoutTag(name)}@${domain}`
}
