-- Event ids: an event that a client sends again counts once.

-- Websites: quiet days and holidays.

-- Status pages: proof that a custom domain leads here.

-- Mail: recipients of test messages, and recipients that block this server.
