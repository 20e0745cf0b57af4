"""What signs and people say, as decoded, is what the encoder wrote for them."""

from collections import Counter

from emulator import Cartridge, World
from emulator.world.texts import TextKind
from tests.emulator.synthetic.facts import real_maps
from tests.emulator.synthetic.texts import SERVICES, Says, is_shop, says, speakers


def test_all_texts_of_signs_and_people(synthetic_cartridge: Cartridge) -> None:
    world = World.of(synthetic_cartridge)
    kinds: Counter[TextKind] = Counter()
    words, services = set(), set()
    for each in real_maps():
        for text_id in speakers(each):
            text = world.map(each["id"]).texts.read(text_id)
            kinds[text.kind] += 1
            service = text.service.name if text.service else ""
            # The two ids that share Cinnabar's shop are one map with one clerk.
            if service == "MART":
                assert is_shop(each, text_id) or each["id"] == 173
                continue
            assert Says(text.kind.name, text.words, service) == says(each, text_id)
            words.add(text.words)
            services.add(service)
    assert services == {"", *SERVICES}
    assert len(words) == 7  # six sayings, and none
    assert min(kinds[kind] for kind in (TextKind.PRINTED, TextKind.SERVICE, TextKind.PROGRAM)) > 100
    assert not kinds[TextKind.NONSENSE]
