/** A provider assigns addresses to mailboxes by these rules. */
interface Provider {
  /** The provider's domains. The first stands for all, unless each has separate mailboxes. */
  domains: readonly string[]
  /** Each domain has separate mailboxes, although the same rules hold. */
  hasSeparateMailboxes?: true
  /** Returns the canonical form of the part before the @. */
  local(name: string): string
  /** The address `x@user.domain` is the mailbox `user@domain`. */
  hasSubdomainAddressing?: true
}

const withoutTag = (name: string) => name.split('+')[0]!

/** These rules of providers each have a source. For all other providers only `+tag` is cut off (D23). */
const PROVIDERS: readonly Provider[] = [
  {
    // Dots do not matter (support.google.com/mail/answer/7436150), and googlemail.com is the same provider
    // (support.google.com/mail/answer/10313).
    domains: ['gmail.com', 'googlemail.com'],
    local: (name) => withoutTag(name).replaceAll('.', ''),
  },
  {
    // proton.me/support/addresses-and-aliases lists the domains; removeEmailAlias() in github.com/ProtonMail/WebClients ignores
    // these characters in a name.
    domains: ['proton.me', 'protonmail.com', 'pm.me', 'protonmail.ch'],
    local: (name) => withoutTag(name).replace(/[._-]/g, ''),
  },
  {
    // Plus addressing is described at
    // learn.microsoft.com/exchange/recipients-in-exchange-online/plus-addressing-in-exchange-online
    domains: ['outlook.com', 'outlook.es', 'hotmail.com', 'hotmail.es', 'live.com', 'live.com.mx', 'msn.com'],
    hasSeparateMailboxes: true,
    local: withoutTag,
  },
  {
    // Yahoo has «base-keyword» addresses (help.yahoo.com/kb/SLN28815.html); no other Yahoo address has a hyphen.
    domains: ['yahoo.com', 'yahoo.com.mx', 'yahoo.es', 'ymail.com', 'rocketmail.com', 'myyahoo.com'],
    hasSeparateMailboxes: true,
    local: (name) => withoutTag(name).split('-')[0]!,
  },
  {
    // One name holds at all three domains (support.apple.com/102591), with plus addressing
    // (support.apple.com/guide/icloud/mm6b1a490a).
    domains: ['icloud.com', 'me.com', 'mac.com'],
    local: withoutTag,
  },
  {
    // Plus and subdomain addressing are described at fastmail.help/hc/en-us/articles/360060591053
    domains: ['fastmail.com', 'fastmail.fm', 'fastmail.mx', 'fastmail.es', 'messagingengine.com', 'sent.com'],
    hasSeparateMailboxes: true,
    local: withoutTag,
    hasSubdomainAddressing: true,
  },
  {
    // One mailbox holds at all domains (yandex.com/support/domain/additional/mailbox-alias.xml); a dot and a hyphen in a name are
    // equal (yandex.com/support/id/authorization/email.html).
    domains: ['yandex.com', 'yandex.ru', 'ya.ru', 'yandex.by', 'yandex.kz', 'yandex.ua', 'yandex.com.tr'],
    local: (name) => withoutTag(name).replaceAll('.', '-'),
  },
]

const PROVIDER_BY_DOMAIN = new Map(
  PROVIDERS.flatMap((provider) => provider.domains.map((domain) => [domain, provider] as const)),
)

/**
 * Returns the canonical address of a mailbox, for any way to write it. It is never used for delivery.
 * @param email in lower case
 * @source D23
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  const name = email.slice(0, at)
  const domain = email.slice(at + 1)
  const provider = PROVIDER_BY_DOMAIN.get(domain)
  if (provider)
    return `${provider.local(name) || withoutTag(name)}@${provider.hasSeparateMailboxes ? domain : provider.domains[0]}`
  const [user = '', ...rest] = domain.split('.')
  const parentProvider = PROVIDER_BY_DOMAIN.get(rest.join('.'))
  if (parentProvider?.hasSubdomainAddressing) return `${user}@${rest.join('.')}`
  return `${withoutTag(name)}@${domain}`
}
