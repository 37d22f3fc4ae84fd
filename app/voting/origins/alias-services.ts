/**
 * Domains of services that give one account any number of addresses, called aliases, relays or masks. Sources:
 * simplelogin.io/docs and proton.me/support/pass-aliases; addy.io/faq; duckduckgo.com/email; relay.firefox.com/faq;
 * support.apple.com/102548; fastmail.help (masked addresses); adguard-mail.com; erine.email; forwardemail.net; tuta.com and
 * startmail.com (aliases).
 */
const ALIAS_DOMAINS = new Set(
  `
8alias.com 8shield.net addy.biz addy.io addymail.com aleeas.com aliasvault.net anonaddy.com anonaddy.me appleid.com
cloaked.id dralias.com duck.com erine.email fastmail.com fastmail.fm forwardemail.net keemail.me makeanon.info
mailbox.org mask.me mozmail.com myclkd.com opayq.com passfwd.com passinbox.com passmail.com passmail.net silomails.com
simplelogin.co simplelogin.com simplelogin.fr simplelogin.io slmail.me slmails.com startmail.com tuta.com tuta.io
tutamail.com tutanota.com tutanota.de usemask.com
`
    .trim()
    .split(/\s+/),
)

/** Matches addresses of Apple's «Hide My Email»: two words, and a digit followed by one more character, in any order. */
const HIDE_MY_EMAIL =
  /^(?=[^@]*(?:^|[._-])\d[a-z0-9](?:[._-]|@))(?:[a-z]{3,}|\d[a-z0-9])(?:[._-](?:[a-z]{3,}|\d[a-z0-9])){2}@icloud\.com$/

/** Returns whether an address, in lower case, belongs to a service that gives one account many addresses. */
export function isAliasAddress(email: string): boolean {
  const labels = email.slice(email.lastIndexOf('@') + 1).split('.')
  return HIDE_MY_EMAIL.test(email) || labels.some((_, index) => ALIAS_DOMAINS.has(labels.slice(index).join('.')))
}
