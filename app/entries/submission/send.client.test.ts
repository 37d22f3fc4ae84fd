import { expect, test, vi } from 'vitest'
import { isReadable, uploadFiles } from '#app/core/uploads/resumable-upload.client.ts'
import { FILTER_REFUSAL } from '#app/core/uploads/retry-policy.ts'
import { sendRegistration } from './send.client.ts'

vi.mock('#app/core/uploads/resumable-upload.client.ts')

test('«Detener» while the files are read again keeps the form from being posted', async () => {
  vi.stubGlobal('document', { addEventListener() {}, removeEventListener() {} })
  const request = vi.fn()
  vi.stubGlobal('XMLHttpRequest', request)
  const controller = new AbortController()
  // A filter blocks the chunks, so that the form is posted with its files.
  vi.mocked(uploadFiles).mockResolvedValue({ ok: false, fileId: 'acta', ...FILTER_REFUSAL })
  vi.mocked(isReadable).mockImplementation(async () => {
    controller.abort()
    return true
  })
  const file = { id: 'acta', file: new File(['%PDF'], 'acta.pdf'), url: undefined, kind: 'actaNacimiento' as const }
  const sending = {
    submissionId: 'b1c7',
    files: [{ ...file, side: undefined }],
    destination: '/registro',
    readValues: () => ({}),
  }
  const progress = { onSent() {}, onReceived() {}, onWaiting() {}, onUploadUrl() {} }
  await expect(sendRegistration(sending, progress, controller.signal)).rejects.toThrow(/abort/i)
  expect(request).not.toHaveBeenCalled()
})
