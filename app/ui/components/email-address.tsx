/** Renders an email address that may break before its @. */
export function EmailAddress({ email }: { email: string }) {
  const atIndex = email.lastIndexOf('@')
  return (
    <>
      {email.slice(0, atIndex)}
      <wbr />
      {email.slice(atIndex)}
    </>
  )
}
