-- Packed counts and visits begin with the version of their format (src/traffic/packing/varint.ts). Data that has none stays
-- readable, so nothing is rewritten here. But an older Belfry would misread data with a version: with this migration it
-- refuses to start.

comment on column traffic_days.packed_visits is 'Base64 of varints after a version: src/traffic/packing/packed-visits.ts';
comment on table traffic_weeks is 'Base64 of varints after a version: src/traffic/packing/packed-counts.ts';
