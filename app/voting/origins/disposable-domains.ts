/** Well-known domains of disposable addresses. The list is never complete, since new domains appear every day. */
const DISPOSABLE_DOMAINS = new Set(
  `
0-mail.com 10minutemail.com 10minutemail.net 1secmail.com 1secmail.net 1secmail.org 20minutemail.com 33mail.com anonbox.net
burnermail.io byom.de cock.li correotemporal.org crazymailing.com deadaddress.com discard.email discardmail.com
dispostable.com dropmail.me emailfake.com emailondeck.com emailtemporalgratis.com esiix.com fakeinbox.com fakemail.net fakemailgenerator.com
getairmail.com getnada.com grr.la guerrillamail.biz guerrillamail.com guerrillamail.de guerrillamail.info guerrillamail.net
guerrillamail.org guerrillamailblock.com harakirimail.com inboxbear.com inboxkitten.com incognitomail.org jetable.org
linshiyouxiang.net luxusmail.org mail-temp.com mail-temporaire.fr mail.tm mail7.io mailcatch.com maildrop.cc mailexpire.com
mailinator.com mailinator.net mailnesia.com mailnull.com mailpoof.com mailsac.com mailtemp.net minuteinbox.com mintemail.com
moakt.com mohmal.com muellmail.com my10minutemail.com mytemp.email mytrashmail.com nada.email nowmymail.com one-time.email
openmailbox.org pokemail.net sharklasers.com smailpro.com spam4.me spambog.com spambox.us spamex.com spamgourmet.com
spamherelots.com spamspot.com temp-mail.com temp-mail.io temp-mail.org tempail.com tempemail.net tempinbox.com tempmail.com tempmail.dev
tempmail.net tempmail.plus tempmailo.com tempr.email throwawaymail.com tmail.ws tmailor.com tmpmail.net tmpmail.org
trash-mail.com trashmail.com trashmail.de trashmail.me trashmail.net trbvm.com wegwerfmail.de wegwerfmail.net
yopmail.com yopmail.fr yopmail.net zetmail.com
`
    .trim()
    .split(/\s+/),
)

/** Returns whether the domain, in lower case, or one of its parents is on the list. */
export function isDisposableDomain(domain: string): boolean {
  const labels = domain.split('.')
  return labels.some((_, index) => DISPOSABLE_DOMAINS.has(labels.slice(index).join('.')))
}
