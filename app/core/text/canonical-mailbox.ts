/** The rules by which a mail provider assigns addresses to mailboxes. */
interface Provider {
  /** Domains of the provider; the first is the canonical domain. */
  domains: readonly string[]
  /** Whether the same name at two of the domains belongs to two mailboxes, so that there is no canonical domain. */
  hasSeparateMailboxes?: true
  /** Returns the canonical form of the part before the @. */
  canonicalName(name: string): string
  /** Whether the address `x@user.domain` belongs to the mailbox `user@domain`. */
  hasSubdomainAddressing?: true
}

const withoutTag = (name: string) => name.split('+')[0]!

/** Providers that publish their rules. For all other providers, only `+tag` is cut off. */
const PROVIDERS: readonly Provider[] = [
  {
    // Dots do not matter (support.google.com/mail/answer/7436150), and googlemail.com is the same provider
    // (support.google.com/mail/answer/10313).
    domains: ['gmail.com', 'googlemail.com'],
    canonicalName: (name) => withoutTag(name).replaceAll('.', ''),
  },
  {
    // proton.me/support/addresses-and-aliases lists the domains; removeEmailAlias() in github.com/ProtonMail/WebClients ignores
    // these characters in a name.
    domains: ['proton.me', 'protonmail.com', 'pm.me', 'protonmail.ch'],
    canonicalName: (name) => withoutTag(name).replace(/[._-]/g, ''),
  },
  {
    // Outlook.com has plus addressing, which Microsoft describes for Exchange Online:
    // learn.microsoft.com/exchange/recipients-in-exchange-online/plus-addressing-in-exchange-online
    domains: ['outlook.com', 'outlook.es', 'hotmail.com', 'hotmail.es', 'live.com', 'live.com.mx', 'msn.com'],
    hasSeparateMailboxes: true,
    canonicalName: withoutTag,
  },
  {
    // Yahoo has «base-keyword» addresses (help.yahoo.com/kb/SLN28815.html); no other Yahoo address has a hyphen.
    domains: ['yahoo.com', 'yahoo.com.mx', 'yahoo.es', 'ymail.com', 'rocketmail.com', 'myyahoo.com'],
    hasSeparateMailboxes: true,
    canonicalName: (name) => withoutTag(name).split('-')[0]!,
  },
  {
    // One name holds at all three domains (support.apple.com/102591), with plus addressing
    // (support.apple.com/guide/icloud/mm6b1a490a).
    domains: ['icloud.com', 'me.com', 'mac.com'],
    canonicalName: withoutTag,
  },
  {
    // Plus and subdomain addressing are described at fastmail.help/hc/en-us/articles/360060591053
    domains: ['fastmail.com', 'fastmail.fm', 'fastmail.mx', 'fastmail.es', 'messagingengine.com', 'sent.com'],
    hasSeparateMailboxes: true,
    canonicalName: withoutTag,
    hasSubdomainAddressing: true,
  },
  {
    // One mailbox holds at all domains (yandex.com/support/domain/additional/mailbox-alias.xml); a dot and a hyphen in a name are
    // equal (yandex.com/support/id/authorization/email.html).
    domains: ['yandex.com', 'yandex.ru', 'ya.ru', 'yandex.by', 'yandex.kz', 'yandex.ua', 'yandex.com.tr'],
    canonicalName: (name) => withoutTag(name).replaceAll('.', '-'),
  },
]

const PROVIDER_BY_DOMAIN = new Map(
  PROVIDERS.flatMap((provider) => provider.domains.map((domain) => [domain, provider] as const)),
)

/**
 * Returns the canonical address of a mailbox, which is the same for all spellings of its address that PROVIDERS knows. It is never
 * used for sending mail.
 * @param email in lower case
 * @see docs/decisions/0016-an-origin-is-who-can-make-addresses.md
 */
export function mailboxOf(email: string): string {
  const atIndex = email.lastIndexOf('@')
  const name = email.slice(0, atIndex)
  const domain = email.slice(atIndex + 1)
  const provider = PROVIDER_BY_DOMAIN.get(domain)
  // A name that has only ignored characters keeps them.
  if (provider)
    return `${provider.canonicalName(name) || withoutTag(name)}@${provider.hasSeparateMailboxes ? domain : provider.domains[0]}`
  const [user = '', ...rest] = domain.split('.')
  const parentProvider = PROVIDER_BY_DOMAIN.get(rest.join('.'))
  if (parentProvider?.hasSubdomainAddressing) return `${user}@${rest.join('.')}`
  return `${withoutTag(name)}@${domain}`
}
