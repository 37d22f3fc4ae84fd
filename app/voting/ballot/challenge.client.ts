export { workOn } from '#app/core/http/proof-of-work.client.ts'
