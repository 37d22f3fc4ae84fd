/** Builds the request header with the submission id, which owns the uploads. */
export const ownerOf = (submission: string) => ({ 'x-entrega': submission })

/** Tells the server that an upload is not needed any more. If the request is lost, the server's sweep makes up for it. */
export function dropUpload(submission: string, url: string | undefined): void {
  if (!url) return
  const headers = { ...ownerOf(submission), 'tus-resumable': '1.0.0' }
  fetch(url, { method: 'DELETE', headers, keepalive: true }).catch(() => {})
}
